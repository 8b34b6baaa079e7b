import type { EventNote } from '../../controller/events/event-recorder.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Phase } from './group-machine.ts';

/** An Event about the Pod of this process. */
export type PodNote = Omit<EventNote, 'regarding'>;

interface GroupEventsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds for which changes are collected before they are reported. */
  readonly gatherMs: number;
  /** The number of groups. */
  readonly groups: number;
  readonly record: (note: PodNote) => void;
}

/** How each kind of change is reported, in the order of the reports. */
const REPORTS = {
  lost: { type: 'Warning', reason: 'GroupsLost', action: 'Lose', text: 'lost its Leases of' },
  given: { type: 'Normal', reason: 'GroupsHandedOver', action: 'Release', text: 'hands over' },
  taken: { type: 'Normal', reason: 'GroupsTaken', action: 'Acquire', text: 'works on' },
} as const;

type Report = keyof typeof REPORTS;

/**
 * Reports which groups were taken, handed over or lost, in the log and by Events about the Pod. Changes of
 * one kind within `gatherMs` share one line and one Event, so that a process that takes 16 groups at startup
 * creates one Event.
 */
export class GroupEvents {
  readonly #options: GroupEventsOptions;
  readonly #gathered = new Map<Report, Set<number>>();
  #cancel: Cancel | undefined;

  constructor(options: GroupEventsOptions) {
    this.#options = options;
  }

  /** Adds a change of a group. A change is ignored if it neither takes the group nor gives it away. */
  changed(group: number, from: Phase, to: Phase): void {
    const report = reportOf(from, to);
    if (report === undefined) return;
    const groups = this.#gathered.get(report) ?? new Set();
    this.#gathered.set(report, groups.add(group));
    const { clock, gatherMs } = this.#options;
    this.#cancel ??= clock.schedule(gatherMs, () => this.flush());
  }

  /** Reports the collected changes now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { groups: all, log, record } = this.#options;
    for (const [report, { text, ...note }] of Object.entries(REPORTS)) {
      const groups = this.#gathered.get(report as Report);
      if (groups === undefined) continue;
      const numbers = [...groups].sort((a, b) => a - b).join(', ');
      const what = `${text} ${groups.size} of ${all} groups`;
      log[note.type === 'Warning' ? 'warn' : 'info']({ groups: numbers }, `this replica ${what}`);
      record({ ...note, note: `${what}: ${numbers}` });
    }
    this.#gathered.clear();
  }
}

function reportOf(from: Phase, to: Phase): Report | undefined {
  if (to === 'owning') return 'taken';
  if (from !== 'owning') return undefined;
  return to === 'lost' ? 'lost' : 'given';
}
