import type { IncidentLine } from 'chancery/internal';
import type { IncidentEnd, IncidentOptions } from './replayed-incident.ts';

/**
 * Runs controllers against the lines that `chancery replay --to-test` has written for an incident. It uses
 * virtual time and no cluster: requests get the recorded answers, in the recorded order. Once the controllers
 * deviate from the record, the embedded API server answers. It starts in the recorded state of that moment.
 *
 * @throws ConfigurationError `CONFIG` when the lines are from other controllers, or from another
 * version.
 */
export async function replayIncident(
  lines: readonly IncidentLine[],
  options: IncidentOptions,
): Promise<IncidentEnd> {
  // Imported lazily, because the replay code is large and few test files need it.
  const { replayed } = await import('./replayed-incident.ts');
  return replayed(lines, options);
}
