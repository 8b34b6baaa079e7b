import { annotationChanged, controller, enqueueMapped, generationChanged, or } from 'chancery';
import { jobs, persistentVolumeClaims, secrets, statefulSets } from 'chancery/kubernetes';
import { TEARDOWN, tearDown } from './cleanup.ts';
import { reconcileSampleDb } from './reconcile.ts';
import { sampleDbs } from './resources/sample-db.ts';
import { volumeSnapshots } from './resources/volume-snapshot.ts';
import { instanceOf, sources } from './scene.ts';

export const sampleDb = controller({
  name: 'sampledb',
  for: sampleDbs,
  predicate: or(generationChanged, annotationChanged),
  owns: [sources.statefulSets, sources.services, sources.configMaps, sources.jobs],
  watches: [enqueueMapped(sources.claims, instanceOf), enqueueMapped(sources.jobs, instanceOf)],
  permissions: [
    { resource: secrets, verbs: ['get', 'create', 'delete'] },
    { resource: jobs, verbs: ['delete'] }, // of children
    { resource: jobs, verbs: ['create'] }, // the snapshot outlives its database
    { resource: statefulSets, verbs: ['delete'] },
    { resource: persistentVolumeClaims, verbs: ['delete'] },
    { resource: volumeSnapshots, verbs: ['get', 'create'] },
  ],
  finalizer: { name: TEARDOWN, finalize: tearDown },
  reconcile: reconcileSampleDb,
});
