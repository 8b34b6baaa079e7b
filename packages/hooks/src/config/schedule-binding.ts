import { messageOf } from 'chancery';
import { parseCrontab } from '../engine/crontab.ts';
import type { ScheduleBinding } from '../hook.ts';
import { Fields, type Item, refuse } from './fields.ts';
import { type Drafted, snapshotUseOf } from './snapshots.ts';

const FIELDS = ['name', 'crontab', 'allowFailure', 'includeSnapshotsFrom', 'queue', 'group'];

/** Reads one item of `schedule`. */
export function scheduleOf(item: Item): Drafted<ScheduleBinding> {
  const fields = new Fields(item, FIELDS);
  const binding = {
    name: fields.text('name') ?? 'schedule',
    crontab: crontabOf(fields),
    queue: fields.text('queue') ?? 'main',
    allowFailure: fields.flag('allowFailure', false),
    ...snapshotUseOf(fields),
  };
  return { binding, path: item.path };
}

/** Reads one item of `schedule` of version v0. */
export function scheduleOfV0(item: Item): ScheduleBinding {
  const fields = new Fields(item, ['name', 'crontab', 'allowFailure']);
  return {
    name: fields.text('name') ?? 'schedule',
    crontab: crontabOf(fields),
    queue: 'main',
    allowFailure: fields.flag('allowFailure', false),
    includeSnapshotsFrom: [],
  };
}

function crontabOf(fields: Fields): string {
  const crontab = fields.requiredText('crontab');
  try {
    parseCrontab(crontab);
  } catch (error) {
    refuse(fields.pathOf('crontab'), messageOf(error));
  }
  return crontab;
}
