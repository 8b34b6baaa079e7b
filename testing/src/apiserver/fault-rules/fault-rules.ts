import { accessOf } from '../auth/access.ts';
import { type FaultRule, readFaults } from './fault-rule.ts';

/** A rule, and what has come of it. */
interface Counted {
  readonly rule: FaultRule;
  /** Requests that it selected. */
  seen: number;
  /** Requests that it hit. */
  applied: number;
}

/**
 * The faults of one server. The first rule that selects a request, and is neither before its `skip` nor past its
 * `count`, hits it.
 */
export class FaultRules {
  #counted: readonly Counted[] = [];

  /** @throws ConfigurationError `CONFIG` for a rule that is wrong. */
  constructor(rules: readonly FaultRule[] = []) {
    if (rules.length > 0) this.replace(rules);
  }

  get rules(): readonly FaultRule[] {
    return this.#counted.map(({ rule }) => rule);
  }

  /** How many requests each rule has hit, in the order of `rules`. */
  get applied(): readonly number[] {
    return this.#counted.map(({ applied }) => applied);
  }

  /**
   * Has these rules in place of all others, and counts from the beginning. What has begun under an old rule goes on.
   *
   * @throws ConfigurationError `CONFIG` for a rule that is wrong; then the old rules stay.
   */
  replace(rules: readonly FaultRule[]): void {
    this.#counted = readFaults({ faults: rules }).map((rule) => ({ rule, seen: 0, applied: 0 }));
  }

  /** No fault any more. */
  clear(): void {
    this.#counted = [];
  }

  /** The rule that hits a request, which is counted by it. */
  take(method: string, path: string, query: URLSearchParams): FaultRule | undefined {
    if (this.#counted.length === 0) return undefined;
    const { verb } = accessOf(method, path, query);
    const parts = partsOf(path);
    for (const counted of this.#counted) {
      const { rule } = counted;
      if (!selects(rule, verb, parts)) continue;
      counted.seen++;
      const isDue = counted.seen > (rule.skip ?? 0);
      if (!isDue || counted.applied >= (rule.count ?? Number.POSITIVE_INFINITY)) continue;
      counted.applied++;
      return rule;
    }
    return undefined;
  }
}

function selects(
  { verbs, path, cutWatch }: FaultRule,
  verb: string,
  parts: readonly string[],
): boolean {
  if (cutWatch !== undefined && verb !== 'watch') return false;
  if (verbs !== undefined && !verbs.some((each) => each === verb)) return false;
  return path === undefined || matches(path.split('/'), parts);
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? parts.length <= fixed.length : parts.length !== fixed.length) return false;
  return fixed.every((each, at) => {
    const part = parts[at] ?? '';
    return each.endsWith('*') ? part.startsWith(each.slice(0, -1)) : part === each;
  });
}

/** A slash at the end makes no difference, as to the API server. */
function partsOf(path: string): readonly string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return trimmed.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}
