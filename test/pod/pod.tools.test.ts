/**
 * The images and the manifests as they are shipped: both containers run as one Pod, in namespaces and
 * without a container engine, in front of an API server that speaks TLS and lets Roles count.
 *
 * @module-tag kubectl
 * @module-tag unshare
 * @module-tag nsenter
 * @module-tag setpriv
 * @module-tag ip
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { BUILD_TIMEOUT_MS } from '../images/support/build-image.ts';
import { credentials } from './scenarios/credentials.ts';
import { gate } from './scenarios/gate.ts';
import { hardened } from './scenarios/hardened.ts';
import { hooks } from './scenarios/hooks.ts';
import type { Place } from './scenarios/place.ts';
import { reloader } from './scenarios/reloader.ts';
import { running } from './scenarios/running.ts';
import { sidecar } from './scenarios/sidecar.ts';
import { stopping } from './scenarios/stopping.ts';
import { type Images, images } from './support/image.ts';
import { probeMeans } from './support/probe-means.ts';

const answer = await probeMeans();

if (answer.means === undefined) {
  const why = `no Pod can be run here, for Linux namespaces cannot be made: ${answer.why}`;
  test('the images and the manifests run as one Pod', ({ skip }) => skip(why));
} else {
  const { means } = answer;
  describe('the images and the manifests run as one Pod', { timeout: 60_000 }, () => {
    let folder: string;
    let both: Images;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'chancery-pod-images-'));
      both = await images(folder);
    }, 2 * BUILD_TIMEOUT_MS);
    afterAll(() => rm(folder, { recursive: true }));

    const place: Place = {
      means,
      images: () => both,
      isSlow: process.env.CHANCERY_POD_SLOW === 'true',
    };
    running(place);
    credentials(place);
    stopping(place);
    hardened(place);
    sidecar(place);
    reloader(place);
    hooks(place);
    gate(place);
  });
}
