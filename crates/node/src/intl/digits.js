'use strict';
// Digit options shared by `Intl.NumberFormat` and `Intl.PluralRules`, read in ECMA-402's order.

const { numberOption, stringOption, wholeNumber } = require('internal/intl/locale');

const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const MODES = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];

function outOfRange(name) { return new RangeError(`${name} value is out of range.`); }

// `least` and `most` are the default numbers of fraction digits.
function digitsOf(options, least, most, isCompact, service) {
  const minimumIntegerDigits = numberOption(options, 'minimumIntegerDigits', 1, 21, 1);
  const { minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits } = options;
  const roundingIncrement = numberOption(options, 'roundingIncrement', 1, 5000, 1);
  if (!INCREMENTS.includes(roundingIncrement)) throw outOfRange('roundingIncrement');
  const roundingMode = stringOption(options, 'roundingMode', MODES, 'halfExpand', service);
  const asked = stringOption(options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto', service);
  const trailingZeroDisplay = stringOption(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto', service);
  const hasSignificant = minimumSignificantDigits !== undefined || maximumSignificantDigits !== undefined;
  const hasFraction = minimumFractionDigits !== undefined || maximumFractionDigits !== undefined;
  const needsSignificant = asked !== 'auto' || hasSignificant;
  const needsFraction = asked !== 'auto' || !hasSignificant && (hasFraction || !isCompact);
  const digits = {
    __proto__: null,
    minimumIntegerDigits,
    ...needsSignificant && significantOf(minimumSignificantDigits, maximumSignificantDigits),
    ...needsFraction && fractionOf(minimumFractionDigits, maximumFractionDigits, least, roundingIncrement === 1 ? most : least),
    roundingIncrement, roundingMode, roundingPriority: asked, trailingZeroDisplay,
  };
  if (!needsSignificant && !needsFraction) {
    Object.assign(digits, {
      minimumFractionDigits: 0, maximumFractionDigits: 0, minimumSignificantDigits: 1, maximumSignificantDigits: 2,
      roundingPriority: 'morePrecision',
    });
  }
  if (roundingIncrement !== 1) {
    if (needsSignificant || !needsFraction) throw new TypeError('RoundingType is not fractionDigits');
    if (digits.minimumFractionDigits !== digits.maximumFractionDigits) throw outOfRange('maximumFractionDigits');
  }
  return digits;
}

function significantOf(least, most) {
  const minimumSignificantDigits = wholeNumber(least, 'minimumSignificantDigits', 1, 21, 1);
  const maximumSignificantDigits = wholeNumber(most, 'maximumSignificantDigits', minimumSignificantDigits, 21, 21);
  return { minimumSignificantDigits, maximumSignificantDigits };
}

function fractionOf(givenLeast, givenMost, least, most) {
  let minimumFractionDigits = wholeNumber(givenLeast, 'minimumFractionDigits', 0, 100, undefined);
  let maximumFractionDigits = wholeNumber(givenMost, 'maximumFractionDigits', 0, 100, undefined);
  minimumFractionDigits ??= Math.min(least, maximumFractionDigits ?? least);
  maximumFractionDigits ??= Math.max(most, minimumFractionDigits);
  if (minimumFractionDigits > maximumFractionDigits) throw outOfRange('maximumFractionDigits');
  return { minimumFractionDigits, maximumFractionDigits };
}

module.exports = { digitsOf };
