/** What makes no sense in a spec, though its schema lets it pass. */
import type { Scene } from './scene.ts';
import { dataVersion } from './upgrade.ts';
import { compareVersions } from './version.ts';

export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export function problemOf(scene: Scene): Problem | undefined {
  const { version } = scene.db.spec;
  const data = dataVersion(scene);
  if (version !== undefined && data !== undefined && compareVersions(version, data) < 0) {
    const message = `the data are of version ${data}, and cannot go back to ${version}`;
    return { reason: 'DowngradeRefused', message };
  }
  return undefined;
}
