import { tdset } from './controller.ts';

export { tdsets } from './resource.ts';

export default tdset({ createServices: false });
