import type { Outcome, ReconcileContext } from 'chancery';
import { type Service, services } from 'chancery/kubernetes';

export interface Problem {
  readonly reason: string;
  readonly note: string;
  /** When to try again what was refused. Default: after a change. */
  readonly next?: Outcome;
}

/** What people are to know about a Service: a Service has no status of its own for that. */
export interface Report {
  readonly url?: string | undefined;
  readonly problem?: Problem | undefined;
}

/** The API server quotes what it refuses, however long that is. */
const LONGEST_NOTE = 500;

/**
 * Writes the annotations `expose.url` and `expose.problem` where they differ. A problem is told by an
 * Event when it is new, and the annotation remembers it over restarts.
 */
export async function report(
  { metadata }: Service,
  { url, problem }: Report,
  { client, event }: ReconcileContext<Service>,
): Promise<void> {
  const text = problem && `${problem.reason}: ${problem.note.slice(0, LONGEST_NOTE)}`;
  const told = metadata.annotations ?? {};
  const isNews = told['expose.problem'] !== text;
  if (!isNews && told['expose.url'] === url) return;
  if (isNews && problem !== undefined) event('Warning', problem.reason, problem.note);
  const annotations = { 'expose.url': url ?? null, 'expose.problem': text ?? null };
  // With its uid: a Service made anew under this name is not the one that was looked at.
  const body = { metadata: { uid: metadata.uid, annotations } };
  await client.patch(services, metadata, { type: 'merge', body });
}
