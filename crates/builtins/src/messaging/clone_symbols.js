'use strict';
// Symbols through which Node's own classes take part in the structured clone.

module.exports = {
  // `[kClone]()` returns { data, class }, where the class is `module:Name`.
  kClone: Symbol('messaging_clone_symbol'),
  // On the class: { shell() creates an empty object, fill(object, data) }.
  kDeserialize: Symbol('messaging_deserialize_symbol'),
  // `[kTransfer]()` returns { data, deserializeInfo: `module:Name` } of a transferred object. `[kMoved](wasMet)` is
  // called after the transfer, with whether the message contained the object, `[kStayed]()` if the message could not
  // be written.
  kTransfer: Symbol('messaging_transfer_symbol'),
  kMoved: Symbol('kMoved'),
  kStayed: Symbol('kStayed'),
  // `[kPacked]()` is called while the message is written; the object releases what would be lost with the message.
  kPacked: Symbol('kPacked'),
  // `[kTransferList]()` returns the objects to transfer along. It is called first.
  kTransferList: Symbol('messaging_transfer_list_symbol'),
  // True on objects that can only be transferred.
  kTransferOnly: Symbol('kTransferOnly'),
  // True on objects that cannot be cloned or transferred.
  kUncloneable: Symbol('kUncloneable'),
  kUntransferable: Symbol('kUntransferable'),
};
