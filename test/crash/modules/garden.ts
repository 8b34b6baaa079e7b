/** A composite: a ConfigMap for each bed of a garden, and a fence that goes last. */
import { child, composite } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';

export const gardens = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Garden',
  spec: Type.Object({ beds: Type.Array(Type.String()), crop: Type.String() }),
  status: Type.Object({ beds: Type.Integer() }),
});

const fence = child(configMaps, { metadata: { name: 'fence' }, data: { height: '1 m' } });

export default composite({
  name: 'garden',
  parent: gardens,
  children: [configMaps],
  sync({ spec: { beds, crop } }, children) {
    const made = beds.filter((name) => children.get(configMaps, name) !== undefined);
    return {
      children: [
        fence,
        ...beds.map((name) => child(configMaps, { metadata: { name }, data: { crop } })),
      ],
      status: { beds: made.length },
    };
  },
  finalize: {
    name: 'example.dev/garden',
    sync(_garden, children) {
      const left = children.of(configMaps).map(({ metadata }) => metadata.name);
      const isFenceAlone = left.length === 0 || (left.length === 1 && left[0] === 'fence');
      return { children: isFenceAlone ? [] : [fence], finalized: left.length === 0 };
    },
  },
});
