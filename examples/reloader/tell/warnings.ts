import { type Runnable, runnable } from 'chancery';

/** Says once, at the start of each replica, which arguments are ignored or have no effect. */
export function startWarnings(warnings: readonly string[]): readonly Runnable[] {
  if (warnings.length === 0) return [];
  const task = runnable({
    name: 'reloader-warnings',
    needsLeaderElection: false,
    async run() {
      for (const warning of warnings) process.emitWarning(warning, 'ReloaderWarning');
    },
  });
  return [task];
}
