import type { Connection } from '../../client/connection.ts';
import type { Controller } from '../../controller/controller.ts';
import type { RunObserver, WaitingKey } from '../../controller/run/run-observer.ts';
import type { Source } from '../../controller/source.ts';
import type { ScopeActivity } from '../sources/scope.ts';

/** What an observer may read of a process, at any time. */
export interface ObservedProcess {
  /** True while this process may do work that needs leadership. */
  readonly leads: boolean;
  /** True when every change of the caches has become keys. */
  readonly delivered: boolean;
  /** Every list and watch, with its cache. */
  scopes(): Iterable<ScopeActivity>;
  /** Every key that waits for an attempt, or has one. */
  waiting(): Iterable<readonly [controller: string, WaitingKey]>;
  /** Names the caches of a source: the `group` of its scopes. */
  groupOf(source: Source): string;
}

/** What changed in the leadership of a process. */
export interface LeadershipChange {
  /** The group of keys, when replicas share the work. */
  readonly group?: number;
  readonly leads: boolean;
  readonly holder?: string;
}

/**
 * Told what a process does, for a record. Its methods are called thousands of times a second: they must be quick, and
 * must not throw.
 */
export interface ProcessObserver {
  /** Surrounds the connections of the process. */
  transport(inner: Connection['transport']): Connection['transport'];
  /** Called once, before the process runs. */
  attach(process: ObservedProcess): void;
  /** Called for each controller, and again when it begins anew, such as with the next term. */
  controller(declared: Controller): RunObserver;
  /** The state of a list or watch may have changed. */
  sourceChanged(source: ScopeActivity): void;
  leadership(change: LeadershipChange): void;
}
