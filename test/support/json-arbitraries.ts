/**
 * Arbitrary JSON without names of members that begin with a backslash. Once V8 has parsed such a name,
 * `JSON.parse` of Node 24 and 26 reads other names with escapes wrongly: `"\n"` becomes a backslash
 * (nodejs/node issue 63785). A test that compares with `JSON.parse` would fail for that.
 */
import fc from 'fast-check';

/** `names` without those that begin with a backslash. */
export function memberName(names: fc.Arbitrary<string> = fc.string()): fc.Arbitrary<string> {
  return names.filter((name) => !name.startsWith('\\'));
}

/** As `fc.jsonValue`. */
export function jsonValue(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<fc.JsonValue> {
  return fc.jsonValue(constraints).filter((value) => !spoilsParser(JSON.stringify(value)));
}

/** As `fc.json`. */
export function jsonText(): fc.Arbitrary<string> {
  return fc.json().filter((text) => !spoilsParser(text));
}

function spoilsParser(text: string): boolean {
  return /"\\\\(?:[^"\\]|\\.)*"\s*:/.test(text);
}
