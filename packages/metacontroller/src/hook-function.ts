import type { Log } from 'chancery';
import type { HookVersion } from './spec.ts';

/** The JSON of a call of a hook. */
export interface HookRequest {
  /** Plain data. It contains cached objects, which are frozen. */
  readonly value: Readonly<Record<string, unknown>>;
  /**
   * The request as JSON, in the same format as Metacontroller's requests. The text is created once,
   * in slices of the event loop, because a parent may have thousands of children.
   */
  text(): Promise<string>;
}

/** The answer of a hook: JSON text from a webhook or a program, or a value from a module. */
export type HookAnswer = { readonly text: string } | { readonly value: unknown };

export interface HookCall {
  readonly signal: AbortSignal;
  readonly log: Log;
  /**
   * Identifies the parent and the revision of the call. Answers with an ETag are stored under this
   * subject.
   */
  readonly subject: string;
}

/** One hook: a webhook, a program or a module. */
export interface HookFunction {
  readonly mode: 'webhook' | 'exec' | 'module';
  /**
   * The version of the requests. It is the version of the object's hook, unless the file of
   * functions contains another version.
   */
  readonly version: HookVersion;
  /** With `strict`, unknown and repeated fields of the answer are errors. */
  readonly answers: 'loose' | 'strict';
  /**
   * The description for messages: the URL without credentials, or the path of the program or
   * module.
   */
  readonly description: string;
  /**
   * Calls the hook.
   *
   * @throws HookError.
   */
  call(request: HookRequest, call: HookCall): Promise<HookAnswer>;
  close(): Promise<void>;
}
