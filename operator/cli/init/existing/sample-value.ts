import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';

/** Samples have no more fields than these below one another. */
const MAX_DEPTH = 20;

/** Texts of formats that the API server checks. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1m',
  byte: 'aGVsbG8=',
  uri: 'https://example.com',
  hostname: 'example.com',
  email: 'someone@example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * The smallest value that a schema may take: required fields only, and what has a default is left out. It
 * does not satisfy a pattern or a CEL rule: only the author knows such values.
 */
export function sampleValue(schema: unknown, depth: number = 0): unknown {
  if (!isMapping(schema) || depth > MAX_DEPTH) return {};
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  switch (schema['x-kubernetes-int-or-string'] === true ? 'integer' : schema.type) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.min(Number(schema.minItems ?? 0), 10) }, () =>
        sampleValue(schema.items, depth + 1),
      );
    default:
      return sampleFields(schema, depth);
  }
}

function sampleText({ format, minLength, maxLength }: Mapping): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const shortest = Number(minLength ?? 0);
  const text = 'sample'.padEnd(Math.min(shortest, 1_000), '-');
  return text.slice(0, Math.max(Number(maxLength ?? text.length), 0));
}

function sampleNumber({ minimum, maximum, exclusiveMinimum, multipleOf }: Mapping): number {
  const least = Number(minimum ?? Math.min(1, Number(maximum ?? 1)));
  const above = exclusiveMinimum === true ? least + 1 : least;
  const step = Number(multipleOf ?? 0);
  return step > 0 ? Math.ceil(above / step) * step : above;
}

function sampleFields({ properties, required }: Mapping, depth: number): Mapping {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = isMapping(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, field]) => names.includes(name) && !hasDefault(field))
      .map(([name, field]) => [name, sampleValue(field, depth + 1)]),
  );
}

function hasDefault(schema: unknown): boolean {
  return isMapping(schema) && schema.default !== undefined;
}
