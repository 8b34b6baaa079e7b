import { controller, findCondition, READY, rfc3339 } from 'chancery';
import { customResource, Type } from 'chancery/schema';

export const blogPosts = customResource({
  group: 'iximiuz.com',
  version: 'v1alpha1',
  kind: 'BlogPost',
  description: 'A post of a blog.',
  spec: Type.Object(
    {
      title: Type.Optional(Type.String({ description: 'The heading. A post without is a draft.' })),
      author: Type.Optional(Type.String({ description: 'Who has written it.' })),
    },
    { description: 'What its author says.', default: {} },
  ),
  status: Type.Object(
    {
      publishedAt: Type.Optional(
        Type.String({ description: 'When it was first complete, in RFC 3339; never changes.' }),
      ),
    },
    { description: 'What became of it.' },
  ),
});

const NO_TITLE = {
  type: READY,
  status: 'False',
  reason: 'TitleMissing',
  message: 'a post without spec.title is not published',
} as const;

export default controller({
  name: 'blogpost',
  for: blogPosts,
  async reconcile(post, { client, clock, setStatus, event }) {
    if (post.metadata.deletionTimestamp !== undefined) return;
    // The cache may be older than the date that another replica, or the one before, has set.
    const published =
      post.status?.publishedAt ??
      (await client.find(blogPosts, post.metadata))?.status?.publishedAt;

    // Told when it is stored, and not before: a refused write has published nothing.
    if (published === undefined && (post.spec.title ?? '').trim() === '') {
      const told = findCondition(post.status?.conditions, READY)?.reason;
      const isNews = await setStatus({ conditions: [NO_TITLE] });
      if (isNews && told !== NO_TITLE.reason) event('Warning', NO_TITLE.reason, NO_TITLE.message);
      return;
    }
    const publishedAt = published ?? rfc3339(clock.now());
    const message = `published at ${publishedAt}`;
    const isNews = await setStatus({
      publishedAt,
      conditions: [{ type: READY, status: 'True', reason: 'Published', message }],
    });
    if (isNews && published === undefined) event('Normal', 'Published', message);
  },
});
