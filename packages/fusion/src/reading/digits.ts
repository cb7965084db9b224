/** A number written in digits: canonical values, of which there are several in a list ("1,2,3"), and the two ends of a range. */
export interface DigitReading {
  values: string[];
  /** "3-5": the values are its ends. */
  range: boolean;
}

const single = (value: string): DigitReading => ({ values: [value], range: false });

/**
 * Digits with separators to canonical numbers: "1,000.50" to 1000.50, "1,5" to 1.5, "3-5" to a range; versions, ratios and addresses stay
 * literals. Decimals stay as written, since version 3.10 is not 3.1.
 *
 * @param code language of the text: outside of English "1.200" is a thousand and more; in English it may be either and stays as it is.
 */
export function readDigits(text: string, code = 'en'): DigitReading {
  if (/^\d+$/.test(text)) return single(text);
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return single(text.replaceAll(',', ''));
  if (/^\d{1,3}(?:,\d\d)+,\d{3}(?:\.\d+)?$/.test(text)) return single(text.replaceAll(',', ''));
  if (/^\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/.test(text) || /^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) {
    return single(text.replaceAll('.', '').replace(',', '.'));
  }
  if (code !== 'en' && /^[1-9]\d{0,2}\.\d{3}$/.test(text)) return single(text.replace('.', ''));
  if (/^\d{1,3}(?:'\d{3})+(?:[.,]\d+)?$/.test(text)) {
    return single(text.replaceAll("'", '').replace(',', '.'));
  }
  if (/^\d+[.,]\d+$/.test(text)) return single(text.replace(',', '.'));
  if (/^[\d,]+$/.test(text)) return { values: text.split(','), range: false };
  return readFractionDigits(text) ?? readDashed(text, code) ?? single(text);
}

/** 1/2 and the like; "4/10" is as often a mark as a date, so that it stays what it is. */
function readFractionDigits(text: string): DigitReading | null {
  const parts = /^(\d)\/([2-58])$/.exec(text);
  if (!parts) return null;
  const [above, below] = [Number(parts[1]), Number(parts[2])];
  return above > 0 && above < below ? single(ratioText(above / below)) : null;
}

function readDashed(text: string, code: string): DigitReading | null {
  if (!text.includes('-')) return null;
  const parts = text.split('-');
  const digits = parts.join('');
  // Telephone numbers, book numbers and the like, written with or without dashes.
  if (/^\d{7,}$/.test(digits) && (parts.length > 2 || /^\d{3}-\d{4}$/.test(text))) return single(digits);
  if (parts.length !== 2) return null;
  const ends = parts.map((part) => readDigits(part, code).values[0]!);
  return { values: ends, range: true };
}

/** A number as text: decimals where they end, otherwise a ratio for thirds and the like ("2/3"). */
export function ratioText(value: number): string {
  for (const below of [3, 6, 7, 9]) {
    const above = Math.round(value * below);
    if (above % below !== 0 && Math.abs(above / below - value) < 1e-9 && below === 3)
      return `${above}/${below}`;
  }
  return numberText(value);
}

/** Without the noise of binary fractions. */
export function numberText(value: number): string {
  const isExact = Number.isInteger(value) && Math.abs(value) < 1e12;
  return isExact || Math.abs(value) >= 1e15 ? String(value) : String(Number(value.toPrecision(12)));
}

/** "1.50" is 1.5 of anything that is measured; three decimals stay as written, since "1.000" is a thousand to half of the world. */
export function trimDecimals(number: string): string {
  const [whole = '', decimals] = number.split('.');
  if (decimals === undefined || decimals.length === 3 || number.indexOf('.') !== number.lastIndexOf('.'))
    return number;
  let kept = decimals.length;
  while (kept > 0 && decimals[kept - 1] === '0') kept -= 1;
  return kept === 0 ? whole : `${whole}.${decimals.slice(0, kept)}`;
}
