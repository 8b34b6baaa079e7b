import { type Environment as CelEnvironment, Optional } from '@marcbachmann/cel-js';
import { DNS_1035_LABEL, DNS_LABEL, DNS_SUBDOMAIN, isFormat } from 'chancery/internal-objects';

const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

/** A named format for strings. */
class CelFormat {
  readonly name: string;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, problems: (text: string) => readonly string[]) {
    this.name = name;
    this.problems = problems;
  }

  equals(other: unknown): boolean {
    return other instanceof CelFormat && other.name === this.name;
  }
}

const FORMATS: readonly CelFormat[] = [
  byPattern('dns1123Label', 63, DNS_LABEL, 'a lowercase RFC 1123 label'),
  byPattern('dns1123Subdomain', 253, DNS_SUBDOMAIN, 'a lowercase RFC 1123 subdomain'),
  byPattern('dns1035Label', 63, DNS_1035_LABEL, 'a DNS-1035 label'),
  byPattern('dns1123LabelPrefix', 63, `${DNS_LABEL}-?`, 'a lowercase RFC 1123 label'),
  byPattern(
    'dns1123SubdomainPrefix',
    253,
    `${DNS_SUBDOMAIN}[-.]?`,
    'a lowercase RFC 1123 subdomain',
  ),
  byPattern('dns1035LabelPrefix', 63, `${DNS_1035_LABEL}-?`, 'a DNS-1035 label'),
  byPattern('qualifiedName', 317, `(${DNS_SUBDOMAIN}/)?${QUALIFIED}`, 'a qualified name'),
  byPattern('labelValue', 63, `(${QUALIFIED})?`, 'a valid label'),
  byFormat('uri'),
  byFormat('uuid'),
  byFormat('byte'),
  byFormat('date'),
  byFormat('datetime'),
];

function byPattern(name: string, limit: number, pattern: string, what: string): CelFormat {
  const whole = new RegExp(`^${pattern}$`);
  return new CelFormat(name, (text) => [
    ...(text.length > limit ? [`must be no more than ${limit} bytes`] : []),
    ...(whole.test(text) ? [] : [`${what} must match the regex '${pattern}'`]),
  ]);
}

function byFormat(name: string): CelFormat {
  return new CelFormat(name, (text) => (isFormat(text, name) ? [] : [`invalid ${name}`]));
}

/** Registers `format.dns1123Label()` and the other formats, `format.named(name)`, and `validate`. */
export function registerFormatFunctions(environment: CelEnvironment): void {
  class Formats {}
  const type = 'kubernetes.NamedFormat';
  environment
    .registerType(type, CelFormat)
    .registerOperator(`${type} == ${type}`, (a: CelFormat, b: CelFormat) => a.equals(b))
    .registerType('FormatNamespace', Formats)
    .registerConstant('format', 'FormatNamespace', new Formats())
    .registerFunction(
      `FormatNamespace.named(string): optional<${type}>`,
      (_: unknown, name: string) => {
        const found = FORMATS.find((format) => format.name === name);
        return found === undefined ? Optional.none() : Optional.of(found);
      },
    )
    .registerFunction(
      `${type}.validate(string): optional<list<string>>`,
      (format: CelFormat, text: string) => {
        const problems = format.problems(text);
        return problems.length === 0 ? Optional.none() : Optional.of([...problems]);
      },
    );
  for (const format of FORMATS) {
    environment.registerFunction(`FormatNamespace.${format.name}(): ${type}`, () => format);
  }
}
