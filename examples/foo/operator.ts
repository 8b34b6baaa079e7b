import {
  type Controller,
  controller,
  deployments,
  enqueueMapped,
  generationChanged,
  keyOf,
  type ObjectKey,
  source,
} from 'chancery';
import { type Foo, foos } from './definition.ts';
import { fooReconciler } from './reconcile.ts';

/** The operator of Foos. One controller for each process: it remembers who waits for a name. */
export function fooController(): Controller<Foo> {
  const waiting = new Map<ObjectKey, ObjectKey>();
  return controller({
    name: 'sample-controller',
    for: foos,
    predicate: generationChanged, // what is told about a Foo is no reason to look at it again
    owns: [deployments],
    watches: [
      // A Deployment of somebody else names no Foo; when it goes, its name is free.
      enqueueMapped(source(deployments), (deployment) =>
        [...waiting].filter(([, name]) => name === keyOf(deployment)).map(([foo]) => foo),
      ),
    ],
    permissions: [
      { resource: deployments, verbs: ['delete'] }, // that of the name before
      { resource: foos, verbs: ['patch'] }, // a status, where it is no subresource
    ],
    reconcile: fooReconciler(waiting),
  });
}

export default fooController();
