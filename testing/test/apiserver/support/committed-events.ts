import { onTestFinished } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import type { CommittedEvent } from '../../../src/apiserver/objects/stored-object.ts';

/** The events of one resource from now on, until the test ends. */
export function eventsOf(server: ApiServer, resource: string): readonly CommittedEvent[] {
  const events: CommittedEvent[] = [];
  onTestFinished(
    server.subscribe((changed, event) => {
      if (changed === resource) events.push(event);
    }),
  );
  return events;
}
