export { violationLines, violationsIn } from './metrics.ts';
