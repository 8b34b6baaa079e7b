/** What makes no sense in a spec, though its schema lets it pass. */
import { messageOf } from 'chancery';
import { calendarOf } from './backup.ts';
import type { Scene } from './scene.ts';
import { dataVersion } from './upgrade.ts';
import { compareVersions } from './version.ts';

export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export function problemOf(scene: Scene): Problem | undefined {
  const { version, backup } = scene.db.spec;
  try {
    if (backup !== undefined) calendarOf(backup);
  } catch (error) {
    return { reason: 'InvalidSchedule', message: `spec.backup: ${messageOf(error)}` };
  }
  const data = dataVersion(scene);
  if (version !== undefined && data !== undefined && compareVersions(version, data) < 0) {
    const message = `the data are of version ${data}, and cannot go back to ${version}`;
    return { reason: 'DowngradeRefused', message };
  }
  return undefined;
}
