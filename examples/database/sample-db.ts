import {
  AWAIT_CHANGE,
  annotationChanged,
  controller,
  enqueueMapped,
  generationChanged,
  jobs,
  or,
  persistentVolumeClaims,
  secrets,
} from 'chancery';
import { reconcileSampleDb } from './reconcile.ts';
import { sampleDbs } from './resources.ts';
import { instanceOf, sources } from './scene.ts';

export const sampleDb = controller({
  name: 'sampledb',
  for: sampleDbs,
  predicate: or(generationChanged, annotationChanged),
  owns: [sources.statefulSets, sources.services, sources.configMaps, sources.jobs],
  watches: [enqueueMapped(sources.claims, instanceOf), enqueueMapped(sources.jobs, instanceOf)],
  permissions: [
    { resource: secrets, verbs: ['get', 'create', 'delete'] },
    { resource: jobs, verbs: ['delete'] },
    { resource: persistentVolumeClaims, verbs: ['delete'] },
  ],
  async reconcile(_key, db, context) {
    return db === undefined ? AWAIT_CHANGE : reconcileSampleDb(db, context);
  },
});
