/** How a run is told. */
import { expect, test } from 'vitest';
import { storyOf } from '../../src/explore/search/story.ts';
import type { Step } from '../../src/explore/simulation/run-result.ts';

const BEGINS = 'copier begins to reconcile default/a';
const ENDS = 'copier ends with default/a: requeue_after';

function step(index: number, what: string, ...notes: readonly string[]): Step {
  return { index, atMs: 0, what, deviation: undefined, notes };
}

test('a story contains repeated reconciles without effect only once, with their number', () => {
  const steps = [
    step(0, 'change: a person creates ConfigMap a', 'the change creates ConfigMap a'),
    ...[1, 2, 3, 4].map((index) => step(index, 'timer', BEGINS, ENDS)),
    step(5, 'timer', BEGINS, 'the operator creates Secret a', ENDS),
    ...[6, 7].map((index) => step(index, 'timer', BEGINS, ENDS)),
  ];

  const story = storyOf(steps, { invariant: 'no Secret', message: 'there is one' });

  expect(story.split('\n')).toEqual([
    '1. A person creates ConfigMap a.',
    '2. The change creates ConfigMap a.',
    '3. Copier begins to reconcile default/a.',
    '4. Copier ends with default/a: requeue_after.',
    '5. So it does 3 more times.',
    '6. Copier begins to reconcile default/a.',
    '7. The operator creates Secret a.',
    '8. Copier ends with default/a: requeue_after.',
    '9. Copier begins to reconcile default/a.',
    '10. Copier ends with default/a: requeue_after.',
    '11. So it does once more.',
    '12. no Secret: there is one',
  ]);
});
