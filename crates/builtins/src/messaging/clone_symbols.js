'use strict';
// Symbols through which Node's own classes take part in the structured clone.

module.exports = {
  // `[kClone]()` returns { data, class }, where the class is `module:Name`.
  kClone: Symbol('messaging_clone_symbol'),
  // On the class: { shell() creates an empty object, fill(object, data) }.
  kDeserialize: Symbol('messaging_deserialize_symbol'),
  // `[kTransfer]()` returns { data, deserializeInfo: `module:Name` } of a transferred object. Afterwards `[kMoved](wasMet)` is called, or
  // `[kStayed]()` if the message could not be written. `wasMet`: the message contains the object, which is not only in the transfer list.
  kTransfer: Symbol('messaging_transfer_symbol'),
  kMoved: Symbol('kMoved'),
  kStayed: Symbol('kStayed'),
  // `[kPacked]()` is called while the message is written. The object gives the message ownership of its resources, such as a file
  // descriptor, so that they are released if the message is never received.
  kPacked: Symbol('kPacked'),
  // `[kTransferList]()` returns further objects to transfer with this one. It is called before `[kTransfer]()`.
  kTransferList: Symbol('messaging_transfer_list_symbol'),
  // True on objects that can only be transferred.
  kTransferOnly: Symbol('kTransferOnly'),
  // True on objects that cannot be cloned or transferred.
  kUncloneable: Symbol('kUncloneable'),
  kUntransferable: Symbol('kUntransferable'),
};
