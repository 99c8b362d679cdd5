const v: string = 'cts'; module.exports = { v };
