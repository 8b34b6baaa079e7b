import { boundedText, type CheckedSchema } from 'chancery/internal';
import { canonicalJson } from './schema.ts';

/**
 * A change of one schema that can make stored or written objects invalid, or change their meaning.
 */
export interface SchemaChange {
  /** The rule that the change breaks: the keyword, or `unhandled`. */
  readonly rule: string;
  readonly message: string;
  /** The keyword that has changed. */
  readonly keyword: string;
  /** Identifies the change: equal changes have equal keys. */
  readonly key: string;
}

/** Maximum number of characters of a value in a message. */
const VALUE_CHARS = 600;

/** Keywords of upper limits. A lower value refuses objects that were valid. */
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'];

/** The problem of a change from `before` to `after`. Undefined when the change is safe. */
type Rule = (before: unknown, after: unknown) => string | undefined;

/**
 * The rules that operator-controller applies before an upgrade: the rules of crdify, with
 * operator-controller's settings. A change of a keyword that has no rule is refused.
 */
const RULES: Readonly<Record<string, Rule>> = {
  description: () => undefined,
  type: (before, after) => `changed from ${shown(before)} to ${shown(after)}`,
  required: newlyRequired,
  default: changedValue,
  pattern: changedValue,
  enum: changedEnum,
  nullable: (before) => (before === true ? 'null is no longer allowed' : 'null is newly allowed'),
  ...Object.fromEntries(UPPER.map((keyword) => [keyword, lowered])),
  ...Object.fromEntries(LOWER.map((keyword) => [keyword, raised])),
};

/** Keywords that contain schemas. Each of these schemas is compared separately, at its own path. */
const CHILDREN: ReadonlySet<string> = new Set(['properties', 'items']);

/** The unsafe changes from `before` to `after`, without changes in the schemas of fields and items. */
export function schemaChanges(
  before: CheckedSchema,
  after: CheckedSchema,
): readonly SchemaChange[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)].sort());
  return [...keywords].flatMap((keyword) => {
    const [old, now] = [canonicalJson(before[keyword]), canonicalJson(after[keyword])];
    if (CHILDREN.has(keyword) || old === now) return [];
    const handled = Object.hasOwn(RULES, keyword);
    const message = handled
      ? RULES[keyword]?.(before[keyword], after[keyword])
      : `no rule knows how ${keyword} may change: ${changedValue(before[keyword], after[keyword])}`;
    if (message === undefined) return [];
    const key = `${keyword}: ${keyOf(keyword, before, after)}`;
    return [{ rule: handled ? keyword : 'unhandled', message, keyword, key }];
  });
}

/**
 * The key of a change. For `required` and `enum` it contains only the difference, because the
 * remaining values may differ between two served versions.
 */
function keyOf(keyword: string, before: CheckedSchema, after: CheckedSchema): string {
  if (keyword === 'required') return canonicalJson(added(before.required, after.required));
  if (keyword === 'enum' && before.enum !== undefined)
    return canonicalJson(added(after.enum, before.enum));
  return `${canonicalJson(before[keyword])} to ${canonicalJson(after[keyword])}`;
}

function newlyRequired(before: unknown, after: unknown): string | undefined {
  const fields = added(before, after);
  return fields.length === 0 ? undefined : `newly required: ${bounded(fields.join(', '))}`;
}

function changedValue(before: unknown, after: unknown): string {
  if (before === undefined) return `added, ${shown(after)}`;
  if (after === undefined) return `removed, it was ${shown(before)}`;
  return `changed from ${shown(before)} to ${shown(after)}`;
}

/**
 * The problem of a changed enum. Without an enum every value is allowed, so a first enum is as
 * strict as a removal of values.
 */
function changedEnum(before: unknown, after: unknown): string | undefined {
  if (before === undefined || after === undefined) return changedValue(before, after);
  const removed = added(after, before);
  return removed.length === 0 ? undefined : `no longer allowed: ${bounded(removed.join(', '))}`;
}

function lowered(before: unknown, after: unknown): string | undefined {
  if (before === undefined) return `added, ${shown(after)}`;
  if (after === undefined || Number(after) >= Number(before)) return undefined;
  return `lowered from ${shown(before)} to ${shown(after)}`;
}

function raised(before: unknown, after: unknown): string | undefined {
  if (before === undefined) return `added, ${shown(after)}`;
  if (after === undefined || Number(after) <= Number(before)) return undefined;
  return `raised from ${shown(before)} to ${shown(after)}`;
}

/** The values of `after` that are missing in `before`, as JSON, sorted. */
function added(before: unknown, after: unknown): readonly string[] {
  const texts = (list: unknown): readonly string[] =>
    Array.isArray(list) ? list.map(canonicalJson) : [];
  const old = new Set(texts(before));
  return [...new Set(texts(after))].filter((each) => !old.has(each)).sort();
}

function shown(value: unknown): string {
  return bounded(canonicalJson(value));
}

function bounded(text: string): string {
  return boundedText(text, VALUE_CHARS);
}
