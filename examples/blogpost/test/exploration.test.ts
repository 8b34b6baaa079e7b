/** A BlogPost in many orders of events. */
import type { Scenario } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import {
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import blogpost from '../operator.ts';

const POST: Target = ['iximiuz.com/v1alpha1', 'BlogPost', 'blog-post-1'];
const DRAFT: Target = ['iximiuz.com/v1alpha1', 'BlogPost', 'draft'];

type Post = KubernetesObject & { readonly status?: { readonly publishedAt?: string } };

const scenario: Scenario = {
  name: 'blogpost',
  objects: textsOf('blogpost/crd.yaml', 'blogpost/sample/*.yaml'),
  controllers: () => [blogpost as Controller],
  changes: [
    creates('a person writes a draft', DRAFT, { spec: { author: 'Ada' } }),
    patches('a person changes the title of the post', POST, { spec: { title: 'Another' } }),
    patches('a person gives the draft a title', DRAFT, { spec: { title: 'Drafts' } }),
    // Whether a post without a title is published depends on what it was before: this one was, or gets one again.
    patches('a person takes the title of the post away', POST, { spec: { title: null } }),
    patches('a person gives the post a title again', POST, { spec: { title: 'The last' } }),
    deletes('a person deletes the draft', DRAFT),
    creates('a person writes the draft again', DRAFT, { spec: { title: 'Second try' } }),
  ],
  atEachStep: [
    {
      name: 'the date of a post never changes',
      check: (cluster) => {
        const dates = new Map<string, string>();
        for (const { object } of cluster.writes) {
          const { metadata, status } = object as Post;
          const before = dates.get(metadata.uid ?? '');
          if (status?.publishedAt === undefined) continue;
          if (before !== undefined && before !== status.publishedAt) {
            return `${metadata.name} was published at ${before} and at ${status.publishedAt}`;
          }
          dates.set(metadata.uid ?? '', status.publishedAt);
        }
      },
    },
  ],
};

test('`blogpost` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'blogpost' });
});
