import type { Log } from 'chancery';
import type { HookName } from '../spec.ts';
import type { AnswerPart } from './answer-part.ts';
import type { AnswerValue } from './answer-value.ts';

export interface AnswerReaderOptions {
  readonly hook: HookName;
  /** `strict`: unknown and repeated fields are errors. `loose`: each of them is logged once. */
  readonly answers: 'loose' | 'strict';
}

/** Declares the fields that an object in an answer may have. All other fields count as unknown. */
export type KnownFields = (part: AnswerPart, names: ReadonlySet<string>) => void;

/**
 * Maximum number of different messages about unknown or repeated fields that one controller logs.
 */
const MAX_REMARKS = 50;

/** Reads the answers of one hook. */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #remarked = new Set<string>();

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the result of `read`. `read` gets the whole answer, and a function with which it
   * declares the fields that it knows.
   *
   * @throws HookError `InvalidAnswer`, and no other error, whatever the answer is.
   */
  *read<R>(
    answer: AnswerValue,
    log: Log,
    read: (whole: AnswerPart, known: KnownFields) => Generator<void, R, undefined>,
  ): Generator<void, R, undefined> {
    const { answers } = this.#options;
    const { whole, repeated } = answer;
    const unusual = (found: string): void => {
      if (answers === 'strict') whole.fail(`has the ${found}`);
      this.#remark(found, log);
    };
    for (const path of repeated) {
      // Children contain fields of Kubernetes. Metacontroller does not check for repeated fields in
      // them.
      if (/^(children|attachments)\[/.test(path)) this.#remark(`repeated field ${path}`, log);
      else unusual(`repeated field ${path}`);
    }
    return yield* read(whole, (part, names) => {
      const unknown = Object.keys(part.map()).filter((name) => !names.has(name));
      for (const name of unknown) unusual(`unknown field ${part.member(name).path}`);
    });
  }

  #remark(found: string, log: Log): void {
    if (this.#remarked.has(found) || this.#remarked.size >= MAX_REMARKS) return;
    this.#remarked.add(found);
    log.warn(
      { hook: this.#options.hook, found },
      'the answer of a hook is not strictly valid, and is accepted',
    );
  }
}
