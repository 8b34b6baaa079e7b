import type { Log } from 'chancery';
import type { HookVersion } from './spec.ts';

/** The JSON that a hook is called with. */
export interface HookRequest {
  /** Plain data. It holds cached objects, which are frozen. */
  readonly value: Readonly<Record<string, unknown>>;
  /**
   * As JSON, as Metacontroller writes it. It is made once, in slices of the event loop, because a parent may have
   * thousands of children.
   */
  text(): Promise<string>;
}

/** What a hook answered: JSON text of a webhook or a program, or the value of a module. */
export type HookAnswer = { readonly text: string } | { readonly value: unknown };

export interface HookCall {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Identifies what is asked for: parent and revision. Answers that are stored by ETag belong to it. */
  readonly subject: string;
}

/**
 * One hook, as webhook, program or module.
 */
export interface HookFunction {
  readonly mode: 'webhook' | 'exec' | 'module';
  /** The form of its requests. That of the object's hook, unless the file of functions says another. */
  readonly version: HookVersion;
  /** `strict`: unknown and repeated fields of the answer are errors. */
  readonly answers: 'loose' | 'strict';
  /** For messages: the URL without credentials, or the path of the program or the module. */
  readonly description: string;
  /** @throws HookError. */
  call(request: HookRequest, call: HookCall): Promise<HookAnswer>;
  close(): Promise<void>;
}
