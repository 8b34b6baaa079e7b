import type { FunctionsFile } from '../call/functions-file.ts';

/** What `chancery metacontroller` is told. */
export interface MetacontrollerOptions {
  /** Programs and modules that serve hooks. Undefined: only webhooks do. */
  readonly functions: FunctionsFile | undefined;
  /** Parents of one controller that are reconciled at a time. */
  readonly workers: number;
  /** After which every parent is reconciled again, for controllers that do not say it. Milliseconds, 0 for never. */
  readonly resyncPeriodMs: number;
  /** How often a controller that cannot start looks again whether it can. Milliseconds. */
  readonly discoveryIntervalMs: number;
  readonly applyStrategy: 'dynamic-apply' | 'server-side-apply';
  /** For server-side apply. */
  readonly fieldManager: string;
  /** Labels of the controllers that are run: `team=farm,tier!=test`. Undefined: all are. */
  readonly targetLabelSelector: string | undefined;
  /** `delete`: an answer without `children` deletes all of them, as with the original. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** Whether answers may have fields that the original does not know. */
  readonly extensions: boolean;
  /** Whether webhooks get `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** The ambassador. No webhook may have its address. */
  readonly apiUrl: string;
  /** Ports on which this process listens. No webhook may have the address of one. */
  readonly ownPorts: () => readonly number[];
  /** Of this process. Programs get what an allow-list names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The settings of a process that is told nothing. */
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
