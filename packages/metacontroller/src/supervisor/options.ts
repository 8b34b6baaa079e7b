import type { FunctionsFile } from '../call/functions-file.ts';

/** The options of `chancery metacontroller`. */
export interface MetacontrollerOptions {
  /** Programs and modules that serve hooks. If undefined, only webhooks serve hooks. */
  readonly functions: FunctionsFile | undefined;
  /** Number of parents of one controller that are reconciled concurrently. */
  readonly workers: number;
  /**
   * Period in milliseconds after which every parent is reconciled again, for controllers that do
   * not set a period. 0 means never.
   */
  readonly resyncPeriodMs: number;
  /** Interval in milliseconds at which a controller that cannot start is tried again. */
  readonly discoveryIntervalMs: number;
  readonly applyStrategy: 'dynamic-apply' | 'server-side-apply';
  /** The field manager of server-side apply. */
  readonly fieldManager: string;
  /**
   * A label selector for the controllers that are run: `team=farm,tier!=test`. If undefined, all
   * are run.
   */
  readonly targetLabelSelector: string | undefined;
  /** With `delete`, an answer without `children` deletes all children, as in Metacontroller. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** True when answers may have fields that Metacontroller does not know. */
  readonly extensions: boolean;
  /** True when webhooks get `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** The URL of the ambassador. Webhooks with its address are refused. */
  readonly apiUrl: string;
  /** Ports on which this process listens. Webhooks with such an address are refused. */
  readonly ownPorts: () => readonly number[];
  /** The environment of this process. Programs get only the variables on an allow-list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Default settings of the process. */
export const METACONTROLLER_DEFAULTS: Omit<
  MetacontrollerOptions,
  'apiUrl' | 'ownPorts' | 'environment'
> = {
  functions: undefined,
  workers: 5,
  resyncPeriodMs: 30 * 60_000,
  discoveryIntervalMs: 30_000,
  applyStrategy: 'dynamic-apply',
  fieldManager: 'metacontroller',
  targetLabelSelector: undefined,
  emptyChildren: 'refuse',
  extensions: false,
  managedFields: true,
};
