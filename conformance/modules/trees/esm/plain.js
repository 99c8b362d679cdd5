exports.plain = typeof require;
