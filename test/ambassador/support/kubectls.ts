import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { findKubectl } from '@chancery/testing';

/** The newest kubectl of this machine. Without one nothing that matters here can be tested. */
export function newestKubectl(): string {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('these tests need a kubectl on the PATH');
  return kubectl;
}

/** The newest, and 1.27 where it is beside it: what differs between them lies in between. */
export function kubectls(): readonly string[] {
  const newest = newestKubectl();
  const oldest = join(dirname(newest), 'kubectl.1.27');
  try {
    accessSync(oldest, constants.X_OK);
    return [newest, oldest];
  } catch {
    return [newest];
  }
}
