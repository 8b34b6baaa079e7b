import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isDnsLabel, isDnsSubdomain } from './dns-name.ts';

/** True when the API server checks this format. Other formats are only documentation. */
export function isTextFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, normal(format));
}

/** True when `text` has the format, or when the API server does not check the format. */
export function isFormat(text: string, format: string): boolean {
  const name = normal(format);
  return !Object.hasOwn(FORMATS, name) || FORMATS[name]?.(text) === true;
}

/** `date-time` and `datetime` are the same format. */
function normal(format: string): string {
  return format.replaceAll('-', '');
}

const UUID = uuid('[0-9a-f]', '[0-9a-f]');
const COLOUR_PART = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isMailAddress,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matches(
    /^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}|[0-9a-f]{2}([:-])[0-9a-f]{2}(\4[0-9a-f]{2}){6}|[0-9a-f]{4}(\.[0-9a-f]{4}){2,3})$/i,
  ),
  uuid: matches(UUID),
  uuid3: matches(uuid('3', '[0-9a-f]')),
  uuid4: matches(uuid('4', '[89ab]')),
  uuid5: matches(uuid('5', '[89ab]')),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(new RegExp(`^rgb\\(${COLOUR_PART},${COLOUR_PART},${COLOUR_PART}\\)$`)),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: isDnsLabel,
  k8slongname: isDnsSubdomain,
};

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function uuid(version: string, variant: string): RegExp {
  const hex = '[0-9a-f]';
  return new RegExp(
    `^${hex}{8}-?${hex}{4}-?${version}${hex}{3}-?${variant}${hex}{3}-?${hex}{12}$`,
    'i',
  );
}

/** True for an absolute URI or an absolute path, like Go's `ParseRequestURI`. */
function isRequestUri(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text)) return false;
  if (text.startsWith('/')) return !/%(?![0-9a-fA-F]{2})/.test(text);
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(text) && !/%(?![0-9a-fA-F]{2})/.test(text);
}

/** True for `a@b`, or `Name <a@b>`. */
function isMailAddress(text: string): boolean {
  const [, inside] = /^[^<>]*<([^<>]+)>$/.exec(text.trim()) ?? [];
  return /^(?!\.)(?!.*\.\.)[^\s@<>(),;:\\"[\]]+(?<!\.)@[^\s@<>(),;:\\"]+$/.test(
    inside ?? text.trim(),
  );
}

function isHostname(text: string): boolean {
  const part = '[a-zA-Z0-9\\p{S}\\p{L}]';
  const single = `${part}((-?${part}{0,62})?)`;
  const dotted = `(${part}(([a-zA-Z0-9\\p{S}\\p{L}-]{0,61}${part})?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63}`;
  if (!new RegExp(`^(?:${single}|${dotted})$`, 'u').test(text)) return false;
  return text.length <= 255 && text.split('.').every((label) => label.length <= 63);
}

function isCidr(text: string): boolean {
  const [, address = '', length = ''] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(length) <= (isIPv4(address) ? 32 : 128);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, at) => total + (digit === 'X' ? 10 : Number(digit)) * (at + 1),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (
    !/^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  ) {
    return false;
  }
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** True for a date that exists in the calendar. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return at.getUTCMonth() + 1 === Number(month) && at.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time, ...more] = text.toLowerCase().split('t');
  if (time === undefined || more.length > 0 || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time) ?? [];
  if (hours === '') return false;
  return Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

/** True for a duration in Go's or Scala's syntax: `1h30m`, `22 ns`, `3 weeks`. */
function isDuration(text: string): boolean {
  if (/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  const unit =
    'ns|nanos?(econds?)?|us|µs|micros?(econds?)?|ms|millis?(econds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?';
  return new RegExp(`^\\s*(\\d+\\s*(${unit})\\s*)+$`, 'i').test(text);
}
