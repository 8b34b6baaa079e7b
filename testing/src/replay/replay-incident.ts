import type { IncidentLine } from 'chancery/internal';
import type { IncidentEnd, IncidentOptions } from './replayed-incident.ts';

/**
 * Runs controllers against the lines of an incident, which `chancery replay --to-test` has written, in virtual time and
 * without a cluster: requests get the recorded answers, in the recorded order. From where the controllers do otherwise
 * than recorded, the embedded API server answers, in the state of that moment.
 *
 * @throws ConfigurationError `CONFIG` when the lines are of other controllers, or of another version.
 */
export async function replayIncident(
  lines: readonly IncidentLine[],
  options: IncidentOptions,
): Promise<IncidentEnd> {
  // What replays is much, and few test files wait for it.
  const { replayed } = await import('./replayed-incident.ts');
  return replayed(lines, options);
}
