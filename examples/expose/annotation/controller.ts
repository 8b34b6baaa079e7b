import { controller } from 'chancery';
import { ingresses, services } from 'chancery/kubernetes';
import { reconcile } from './reconcile.ts';

/** Services with the annotation `expose: /path`: an Ingress of the same name sends that path to them. */
export const exposeByAnnotation = controller({
  name: 'expose',
  for: services,
  owns: [ingresses],
  permissions: [
    { resource: services, verbs: ['patch'] },
    { resource: ingresses, verbs: ['delete'] },
  ],
  reconcile,
});
