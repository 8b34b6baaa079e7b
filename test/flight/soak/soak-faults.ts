/** Ten faults, the triggers by which each is recorded, and the write by which each shows. */
import type { ApiServer } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { RecordReason } from '../../../operator/flight/record-line.ts';
import { labelled, type SoakRun, type SoakWrite } from './soak-run.ts';

export interface SoakFault {
  /** What is wrong, in a few words. */
  readonly name: string;
  /** Files of the folder `modules`. */
  readonly operators: readonly string[];
  /** The data of the site that is there from the start. */
  readonly site?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly prepare?: (server: ApiServer) => void;
  /** Lets the fault show, and resolves when the trigger is certain. */
  readonly happen: (run: SoakRun) => Promise<void>;
  readonly reason: RecordReason;
  readonly why: RegExp;
  /** Of the process. Undefined: it goes on. */
  readonly exitCode?: number;
  /** True: the record begins in a later segment, without the first lists. */
  readonly beginsLater?: boolean;
  /** True for the write that should not have been made. @param earlier - the writes of this key before it. */
  readonly isWrong: (write: SoakWrite, earlier: readonly SoakWrite[]) => boolean;
  /** The replay says it. */
  readonly note?: RegExp;
}

/** Nobody loses it because the machine is slow. */
const LEASE = {
  CHANCERY_LEADER_ELECTION: 'true',
  CHANCERY_LEASE_DURATION: '60',
  CHANCERY_LEASE_RENEW_DEADLINE: '50',
  CHANCERY_LEASE_RETRY_PERIOD: '1',
  CHANCERY_SHUTDOWN_TIMEOUT: '5',
};

/** Where the end of a Lease is waited for. */
const SHORT_LEASE = {
  ...LEASE,
  CHANCERY_LEASE_DURATION: '10',
  CHANCERY_LEASE_RENEW_DEADLINE: '7',
};

const HOUR_MS = 60 * 60 * 1_000;

/** The data of a ConfigMap in the body of a write. */
function dataOf({ body = '{}' }: SoakWrite): Readonly<Record<string, string>> {
  return (JSON.parse(body) as { data?: Record<string, string> }).data ?? {};
}

const isOf = ({ method, path, body = '' }: SoakWrite, name: string): boolean =>
  method === 'POST'
    ? body.includes(`"name":"${name}"`)
    : path.split('?')[0]?.endsWith(name) === true;

export const SOAK_FAULTS: readonly SoakFault[] = [
  {
    name: 'a page that states the time',
    operators: ['time-in-page'],
    happen: async () => {},
    reason: 'write-loop',
    why: /page reconciles demo\/web again and again/,
    isWrong: (write, earlier) =>
      isOf(write, 'web-page') && earlier.some((each) => isOf(each, 'web-page')),
  },
  {
    name: 'two controllers that decide one field',
    operators: ['two-writers', 'noise'],
    happen: async (run) => {
      await run.has('web-page', { colour: 'blue' });
      await run.fillRing();
      run.change({ guest: 'yes' });
    },
    reason: 'write-loop',
    why: /reconciles demo\/web again and again/,
    beginsLater: true,
    isWrong: (write) => isOf(write, 'web-page') && dataOf(write).colour === 'red',
  },
  {
    name: 'a site that is ready too early',
    operators: ['ready-too-early'],
    happen: async () => {},
    reason: 'stuck',
    why: /readiness has been reconciling demo\/web/,
    isWrong: (write) => dataOf(write).phase === 'Ready',
  },
  {
    name: 'a page that is published without approval, in an attempt from before the record',
    operators: ['waits-for-approval', 'noise'],
    happen: async (run) => {
      await run.logged('waits');
      await run.fillRing();
      run.create('web-approval', 'site', { approved: 'no' });
      await run.has('web-page', { state: 'published' });
      await run.probe();
    },
    reason: 'stuck',
    why: /maxReconcileAgeMs/,
    beginsLater: true,
    isWrong: (write) => dataOf(write).state === 'published',
  },
  {
    name: 'a timer that throws',
    operators: ['unchecked-options'],
    happen: async () => {},
    reason: 'crash',
    why: /JSON/,
    exitCode: 1,
    isWrong: (write) => dataOf(write).url === 'undefined',
    note: /the replay ends with the crash that was recorded/,
  },
  {
    name: 'a create that nobody waits for',
    operators: ['unawaited-create', 'noise'],
    site: { round: '1' },
    happen: async (run) => {
      await run.has('web-page', { round: '1' });
      await run.fillRing();
      run.change({ round: '2' });
    },
    reason: 'crash',
    why: /already exists/,
    exitCode: 1,
    beginsLater: true,
    isWrong: (write) => write.method === 'POST' && dataOf(write).round === '2',
    note: /the replay ends with the crash that was recorded/,
  },
  {
    name: 'a wall clock that was set forward',
    operators: ['wall-clock'],
    site: { untilTime: new Date(Date.now() + HOUR_MS).toISOString() },
    environment: {
      NODE_OPTIONS: `--import=${new URL('./set-wall-clock.mjs', import.meta.url).href}`,
    },
    happen: async (run) => {
      await run.has('web-page', { state: 'kept' });
      run.child.kill('SIGWINCH');
      await run.logged('the wall clock was set');
      run.change({ round: '2' });
    },
    reason: 'crash',
    why: /nothing is left to do for web/,
    exitCode: 1,
    isWrong: ({ method, path }) => method === 'DELETE' && path.includes('/web-page'),
    note: /the wall clock was set forward by 7[12]\d\d\.\d s/,
  },
  {
    name: 'two accounts under a stale cache, then a Lease that another takes',
    operators: ['two-accounts'],
    environment: LEASE,
    prepare: (server) =>
      server.faults.replace([
        { verbs: ['watch'], path: '/api/v1/namespaces/demo/serviceaccounts', delayMs: HOUR_MS },
      ]),
    happen: async (run) => {
      await run.hasAccounts(1);
      run.change({ round: '2' });
      await run.hasAccounts(2);
      run.takeLease('another');
    },
    reason: 'exit',
    why: /./,
    exitCode: 3,
    isWrong: ({ path }, earlier) =>
      path.includes('/serviceaccounts') &&
      earlier.some((each) => each.path.includes('/serviceaccounts')),
    note: /the process lost its leadership there/,
  },
  {
    name: 'a page before its styles, then no API server',
    operators: ['page-before-styles', 'noise'],
    environment: SHORT_LEASE,
    happen: async (run) => {
      await run.fillRing();
      run.change({ styles: 'round' });
      await run.has('web-styles', { styles: 'round' });
      await run.server.stop();
    },
    reason: 'exit',
    why: /./,
    exitCode: 3,
    beginsLater: true,
    isWrong: (write, earlier) =>
      isOf(write, 'web-page') && !earlier.some((each) => isOf(each, 'web-styles')),
    note: /the process lost its leadership there/,
  },
  {
    name: 'a site that is counted again in the second term',
    operators: ['counts-again'],
    environment: { ...SHORT_LEASE, CHANCERY_ON_LEADERSHIP_LOST: 'standby' },
    happen: async (run) => {
      await run.has('web-page', { counted: '1' });
      run.takeLease('another');
      await run.logged('controller stopped');
      run.takeLease('');
      await run.logged('counted again');
      run.takeLease('another');
    },
    reason: 'exit',
    why: /./,
    exitCode: 3,
    isWrong: (write) => dataOf(write).counted === '2',
    note: /the process lost its leadership there/,
  },
];

/** The objects that are there from the start. */
export function objectsOf({ site = {} }: SoakFault): readonly KubernetesObject[] {
  return [labelled('web', 'site', site), labelled('noise', 'noise', { round: '0' })];
}
