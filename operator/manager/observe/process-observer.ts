import type { Connection } from '../../client/connection.ts';
import type { Controller } from '../../controller/controller.ts';
import type { RunObserver, WaitingKey } from '../../controller/run/run-observer.ts';
import type { Source } from '../../controller/source.ts';
import type { ScopeActivity } from '../sources/scope.ts';

/** The state of a process that an observer may read at any time. */
export interface ObservedProcess {
  /** True while this process may do work that needs leadership. */
  readonly leads: boolean;
  /** True when every change of the caches has been turned into keys. */
  readonly delivered: boolean;
  /** Every list and watch, with its cache. */
  scopes(): Iterable<ScopeActivity>;
  /** Every key that is waiting for an attempt, or is being reconciled. */
  waiting(): Iterable<readonly [controller: string, WaitingKey]>;
  /** Identifies the caches of a source: returns the value of the field `group` in the source's scopes. */
  groupOf(source: Source): string;
}

/** What changed in the leadership of a process. */
export interface LeadershipChange {
  /** The group of keys that changed, if replicas share the keys. */
  readonly group?: number;
  readonly leads: boolean;
  readonly holder?: string;
}

/**
 * Receives what a process does, for a flight record. Its methods are called thousands of times a second: they
 * must be quick, and must not throw.
 */
export interface ProcessObserver {
  /** Wraps the transport of a connection of the process. */
  transport(inner: Connection['transport']): Connection['transport'];
  /** Called once, before the process runs. */
  attach(process: ObservedProcess): void;
  /**
   * Called for each controller, and again each time the controller restarts, for example with the
   * next term.
   */
  controller(declared: Controller): RunObserver;
  /** Called when the state of a list or watch may have changed. */
  sourceChanged(source: ScopeActivity): void;
  leadership(change: LeadershipChange): void;
  /** Called for each probe that finds a reconcile running longer than its controller allows. */
  stuck(): void;
}
