import { AsyncLocalStorage } from 'node:async_hooks';
import { boundedText } from 'chancery/internal-testing';

/** A line of an operator's log, with the fields that appear in test failures. */
interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface RunningOperator {
  readonly log: readonly Line[];
}

const everywhere = new Set<RunningOperator>();
const apart = new AsyncLocalStorage<Set<RunningOperator>>();

/**
 * Runs `work` with a separate set of operators. Inside of `work`, `lastWarnings` returns only the warnings of
 * these operators.
 */
export function withOwnOperators<T>(work: () => Promise<T>): Promise<T> {
  return apart.run(new Set(), work);
}

/** Adds `operator` to the set until the returned function is called. */
export function operatorRuns(operator: RunningOperator): () => void {
  const operators = apart.getStore() ?? everywhere;
  operators.add(operator);
  return () => void operators.delete(operator);
}

/** Maximum number of lines in a failure. */
const MAX_LINES = 5;
/** Maximum number of characters of one field's value. */
const FACT_CHARS = 200;
/**
 * Maximum number of characters of an error message. A message about a refused object quotes values
 * before the reason.
 */
const ERROR_CHARS = 1_000;

/** The last warnings and errors of the running operators, oldest first, one line each. */
export function lastWarnings(): readonly string[] {
  const operators = apart.getStore() ?? everywhere;
  return [...operators]
    .flatMap(({ log }) => log.filter(({ level }) => level === 'warn' || level === 'error'))
    .slice(-MAX_LINES)
    .map(lineOf);
}

/**
 * A log line with its simple fields and error messages. Objects are omitted, because a test's
 * output may be public.
 */
function lineOf({ level, message, fields }: Line): string {
  const facts = Object.entries(fields).flatMap(([name, value]) => {
    if (value instanceof Error) {
      return [`${name}=${JSON.stringify(boundedText(value.message, ERROR_CHARS))}`];
    }
    const isFact = ['string', 'number', 'boolean'].includes(typeof value);
    return isFact ? [`${name}=${boundedText(JSON.stringify(value), FACT_CHARS)}`] : [];
  });
  return [level, boundedText(message, FACT_CHARS), ...facts].join(' ');
}
