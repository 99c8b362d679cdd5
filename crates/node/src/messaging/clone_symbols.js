'use strict';
// The names under which objects of Node's own classes take part in the structured clone.

module.exports = {
  // [kClone]() gives { data, class }, where the class is `module:Name`.
  kClone: Symbol('messaging_clone_symbol'),
  // On the class: { shell() makes an empty object, fill(object, data) }.
  kDeserialize: Symbol('messaging_deserialize_symbol'),
  // [kTransfer]() gives { data, deserializeInfo: `module:Name` } of an object that moves; [kMoved](wasMet) is called when it
  // has, with whether it was in the message, and [kStayed]() when the message could not be written.
  kTransfer: Symbol('messaging_transfer_symbol'),
  kMoved: Symbol('kMoved'),
  kStayed: Symbol('kStayed'),
  // [kPacked]() is called while the message is written, where it names the object: who has to give something up if the message is
  // lost says so then.
  kPacked: Symbol('kPacked'),
  // [kTransferList]() gives what moves along. It is called before the others.
  kTransferList: Symbol('messaging_transfer_list_symbol'),
  // True on objects that can only be moved.
  kTransferOnly: Symbol('kTransferOnly'),
  // True on objects that cannot be cloned, and on those that cannot be moved.
  kUncloneable: Symbol('kUncloneable'),
  kUntransferable: Symbol('kUntransferable'),
};
