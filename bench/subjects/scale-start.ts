/** How the subjects of the scale runs begin: what is loaded before does not count for what follows. */
import { imported, onCommand } from './child.ts';

/** Says that the client is loaded, and waits for `{"do":"go"}`, which is answered with `{"is":"going","ms":…}`. */
export async function go(): Promise<void> {
  const asked = Promise.withResolvers<void>();
  onCommand('go', () => {
    asked.resolve();
    return { is: 'going', ms: performance.now() };
  });
  imported();
  await asked.promise;
}
