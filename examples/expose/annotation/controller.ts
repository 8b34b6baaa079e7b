import { controller, enqueueMapped, ingresses, keyOf, services, source } from 'chancery';
import { reconcile } from './reconcile.ts';

/** Services with the annotation `expose: /path`: an Ingress of the same name sends that path to them. */
export const exposeByAnnotation = controller({
  name: 'expose',
  for: services,
  owns: [ingresses],
  // Also an Ingress of the same name that is somebody else's: when it goes, the name is free.
  watches: [enqueueMapped(source(ingresses), (ingress) => [keyOf(ingress)])],
  permissions: [
    { resource: services, verbs: ['patch'] },
    { resource: ingresses, verbs: ['delete'] },
  ],
  reconcile,
});
