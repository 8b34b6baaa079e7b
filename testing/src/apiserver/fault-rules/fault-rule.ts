import type { StructuralSchema } from 'chancery/internal';
import { ConfigurationError } from 'chancery/internal-objects';
import { listed, requireSchema } from './checked-value.ts';

const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] as const;

/**
 * A fault for some requests. It replaces their answer, or delays it. The fields `verbs` and `path` select the
 * requests. A rule without these fields selects every request.
 *
 * A rule has one effect: `status`, `reset` or `cutWatch`, or only `delayMs`.
 */
export interface FaultRule {
  /** A name for people who read the rules. */
  readonly name?: string;
  /** The verbs of the requests, as in RBAC. */
  readonly verbs?: readonly (typeof VERBS)[number][];
  /**
   * The path of the request, such as `/apis/apps/v1/namespaces/web-*`. A `*` at the end of a segment matches
   * any characters up to the end of the segment. `**` as the last segment matches all further segments. The
   * query is ignored.
   */
  readonly path?: string;
  /** How many selected requests are first answered normally. Default 0. */
  readonly skip?: number;
  /** The maximum number of requests that get the fault. If omitted, there is no maximum. */
  readonly count?: number;
  /**
   * The delay before the effect or the normal answer, in milliseconds. For `cutWatch`, the delay after the
   * start of the watch. The maximum is one hour. Default 0.
   */
  readonly delayMs?: number;
  /** The status code of a failure, from 400 to 599. The request is not carried out. */
  readonly status?: number;
  /** The message of the failure. Default: a message that contains the name of the rule. */
  readonly message?: string;
  /**
   * The reason of the failure, such as `TooManyRequests`. Default: the usual reason of the code.
   */
  readonly reason?: string;
  /**
   * After how many seconds the client may retry. The failure's Status and its header `Retry-After` contain
   * this value.
   */
  readonly retryAfterSeconds?: number;
  /** Cuts the connection. The request is not carried out. */
  readonly reset?: true;
  /**
   * Ends a watch `delayMs` after its start: gracefully (`clean`), or by cutting the connection
   * (`reset`).
   */
  readonly cutWatch?: 'clean' | 'reset';
}

const MAX_RULES = 100;
const MAX_COUNT = 1_000_000_000;
const MAX_DELAY_MS = 3_600_000;
const MAX_TEXT = 1_000;

const text = (description: string): StructuralSchema => ({
  type: 'string',
  maxLength: MAX_TEXT,
  description,
});
const number = (description: string, minimum: number, maximum: number): StructuralSchema => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});

const RULE: StructuralSchema = {
  type: 'object',
  description:
    'What happens to the requests that it selects. It has one effect: status, reset or cutWatch, or delayMs alone.',
  properties: {
    name: text('For people.'),
    verbs: {
      type: 'array',
      minItems: 1,
      maxItems: VERBS.length,
      items: { type: 'string', enum: VERBS },
      description: 'The verbs of RBAC that it selects. Default: all.',
    },
    path: text(
      'The path that it selects. A * at the end of a part stands for anything in that part, and ** as the last part for all further parts. Default: all.',
    ),
    skip: number('Requests that pass before the first is hit. Default 0.', 0, MAX_COUNT),
    count: number('Requests that are hit, and no more. Default: all.', 1, MAX_COUNT),
    delayMs: number(
      'Milliseconds before the effect or the usual answer; of cutWatch after the watch has begun. Default 0.',
      0,
      MAX_DELAY_MS,
    ),
    status: number('The code of a failure. The server carries nothing out.', 400, 599),
    message: text('Of the failure.'),
    reason: text('Of the failure. Default: the usual one of the code.'),
    retryAfterSeconds: number('Of the failure, and a header.', 0, MAX_DELAY_MS / 1_000),
    reset: {
      type: 'boolean',
      enum: [true],
      description: 'The connection is cut, and the request not carried out.',
    },
    cutWatch: {
      type: 'string',
      enum: ['clean', 'reset'],
      description: 'A watch begins and ends delayMs later.',
    },
  },
};

/** The schema of `{ "faults": […] }`, the format of rules in files and requests. */
export const FAULTS: StructuralSchema = {
  type: 'object',
  required: ['faults'],
  properties: { faults: { type: 'array', maxItems: MAX_RULES, items: RULE } },
};

/**
 * Reads the rules in a value from a YAML file or a request, such as
 * `{ faults: [{ verbs: ['list'], status: 503, count: 2 }] }`.
 *
 * @param what - the beginning of the message, such as the name of the file.
 * @throws ConfigurationError `CONFIG` with the path of each invalid field, and for an unknown field
 * with the list of known fields. At most 100 rules are allowed.
 */
export function readFaults(value: unknown, what: string = 'faults'): readonly FaultRule[] {
  requireSchema(value, FAULTS, what);
  const { faults } = value as { readonly faults: readonly FaultRule[] };
  const problems = faults.flatMap((rule, at) =>
    ruleProblems(rule).map((problem) => `faults[${at}]${problem}`),
  );
  if (problems.length > 0) throw new ConfigurationError(`${what}: ${listed(problems)}`);
  return faults;
}

function ruleProblems(rule: FaultRule): readonly string[] {
  const { status, delayMs, path, verbs = [], cutWatch } = rule;
  const effects = EFFECTS.filter((effect) => rule[effect] !== undefined);
  const problems: string[] = [];
  if (effects.length > 1) problems.push(` has ${effects.join(' and ')}: make two rules of it`);
  if (effects.length === 0 && delayMs === undefined) {
    problems.push(' does nothing: it needs status, reset, cutWatch or delayMs');
  }
  for (const field of OF_STATUS) {
    if (rule[field] !== undefined && status === undefined) {
      problems.push(`.${field} is part of a failure, and needs status`);
    }
  }
  if (path !== undefined && !isPattern(path)) {
    problems.push(
      '.path must begin with "/", with "*" only at the end of a part, and "**" only as the last part',
    );
  }
  if (cutWatch !== undefined && verbs.some((verb) => verb !== 'watch')) {
    problems.push('.verbs must be [watch] or absent beside cutWatch');
  }
  return problems;
}

const EFFECTS = ['status', 'reset', 'cutWatch'] as const;
const OF_STATUS = ['message', 'reason', 'retryAfterSeconds'] as const;

function isPattern(path: string): boolean {
  const parts = path.split('/');
  return (
    parts[0] === '' &&
    parts.length > 1 &&
    parts.every((part, at) => /^[^*]*\*?$/.test(part) || (part === '**' && at === parts.length - 1))
  );
}
