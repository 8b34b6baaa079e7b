/** What people read about a workload. */
import { ApiError, type EventNote } from 'chancery';
import { expect, test } from 'vitest';
import type { Change } from '../../record/plan-types.ts';
import { eventObserver } from '../../tell/events.ts';
import type { Regarding } from '../../tell/observer.ts';

function noting(dryRun = false): { readonly notes: EventNote[]; readonly about: Regarding } {
  const notes: EventNote[] = [];
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
  const context = { dryRun, events: { record: (note: EventNote) => void notes.push(note) } };
  const about = { kind: 'Deployment', namespace: 'demo', name: 'web', workload, context };
  return { notes, about: about as unknown as Regarding };
}

const change = (type: Change['type'], name: string): Change => ({
  type,
  name,
  hash: 'h',
  deleted: false,
  container: 'app',
  rule: 'typed-auto',
  auto: true,
});

test('there is an Event for each resource of a restart, reported by the component for its type', () => {
  const { notes, about } = noting();
  const changes = [change('CONFIGMAP', 'app'), change('SECRET', 'key')];
  eventObserver.restarted?.(about, changes, 5);

  expect(notes).toMatchObject([
    { type: 'Normal', reason: 'Reloaded', reporter: 'reloader-configmaps' },
    { type: 'Normal', reason: 'Reloaded', reporter: 'reloader-secrets' },
  ]);
  for (const text of ["'key'", "'SECRET'", "'demo'", "'web'", "'Deployment'"]) {
    expect(notes[1]?.note).toContain(text);
  }
  expect(notes[1]?.note).not.toContain('typed-auto');
});

test('[reloader 28] in a dry run, the Event contains the rule that decided', () => {
  const { notes, about } = noting(true);
  eventObserver.restarted?.(about, [change('SECRET', 'key')], 5);

  expect(notes[0]?.note).toContain('rule: typed-auto');
});

test('an Event about a failure does not contain values that the server quotes', () => {
  const { notes, about } = noting();
  const message = 'Deployment.apps "web" is invalid: spec: Invalid value: "hidden-1": too long';
  const refused = new ApiError({ code: 422, reason: 'Invalid', message });
  eventObserver.failed?.(about, [change('SECRET', 'key'), change('SECRET', 'other')], refused, 5);

  expect(notes).toMatchObject([
    { type: 'Warning', reason: 'ReloadFail', reporter: 'reloader-secrets' },
  ]);
  expect(notes[0]?.note).toContain('422 Invalid');
  expect(notes[0]?.note).not.toContain('hidden-1');
});
