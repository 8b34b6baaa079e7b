import { controller, generationChanged, isControlledBy } from 'chancery';
import { deployments } from 'chancery/kubernetes';
import { foos } from './definition.ts';
import { deploymentFor, NAMELESS, problemOf } from './deployment.ts';
import { notReady, readiness, report } from './status.ts';

export default controller({
  name: 'sample-controller',
  for: foos,
  predicate: generationChanged, // what is told about a Foo is no reason to look at it again
  owns: [deployments],
  permissions: [
    { resource: deployments, verbs: ['delete'] }, // that of the name before
    { resource: foos, verbs: ['patch'] }, // a status, where it is no subresource
  ],

  /** One Foo becomes one Deployment of the name that it gives. */
  async reconcile(foo, context) {
    if (foo.metadata.deletionTimestamp !== undefined) return;
    const { applyOwned, deleteOwned, event, store } = context;
    const { namespace = '' } = foo.metadata;
    const own = store(deployments)
      .list({ namespace })
      .filter((each) => isControlledBy(each, foo));

    const name = foo.spec?.deploymentName ?? ''; // no definition of the original demands it
    const made =
      name === ''
        ? NAMELESS
        : await applyOwned(deployments, deploymentFor(foo, name)).catch(problemOf(name));
    if ('reason' in made) {
      // It keeps what it has. Without room for a condition the Event is all that tells.
      const isNews = await report(foo, notReady(own, made), context);
      if (isNews || foo.status?.conditions === undefined) {
        event('Warning', made.reason, made.message);
      }
      // A change of the Foo, or a name that is free again, leads back here at once.
      return made.next;
    }

    for (const { metadata } of own) {
      if (metadata.name !== name) await deleteOwned(deployments, metadata);
    }
    if (await report(foo, readiness(made), context)) {
      event('Normal', 'Synced', 'Foo synced successfully');
    }
  },
});
