import { accessOf } from '../auth/access.ts';
import { type FaultRule, readFaults } from './fault-rule.ts';

/** A rule and its counters. */
interface Counted {
  readonly rule: FaultRule;
  /** The number of requests that the rule selected. */
  seen: number;
  /** The number of requests that got the rule's fault. */
  applied: number;
}

/**
 * The faults of one server. A request gets the fault of the first rule that selects it and is due. A rule is
 * due after it has skipped `skip` requests, and until it has been applied to `count` requests.
 */
export class FaultRules {
  #counted: readonly Counted[] = [];

  /** @throws ConfigurationError `CONFIG` for an invalid rule. */
  constructor(rules: readonly FaultRule[] = []) {
    if (rules.length > 0) this.replace(rules);
  }

  get rules(): readonly FaultRule[] {
    return this.#counted.map(({ rule }) => rule);
  }

  /** The number of requests that got each rule's fault, in the order of `rules`. */
  get applied(): readonly number[] {
    return this.#counted.map(({ applied }) => applied);
  }

  /**
   * Replaces all rules, and resets the counters. Effects of old rules that have already begun continue.
   *
   * @throws ConfigurationError `CONFIG` for an invalid rule. The old rules then stay in place.
   */
  replace(rules: readonly FaultRule[]): void {
    this.#counted = readFaults({ faults: rules }).map((rule) => ({ rule, seen: 0, applied: 0 }));
  }

  /** Removes all rules. */
  clear(): void {
    this.#counted = [];
  }

  /** Returns the rule that applies to a request, and counts the request. */
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

/** Splits a path into segments. Like the API server, ignores a trailing slash. */
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
