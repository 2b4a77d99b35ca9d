import { install } from '../../.ci/install.ts';

// Makes all pictures of README.md and docs/ anew, and notes what they show. What it needs beyond the project's own packages, it
// installs first; so only Node's own modules may be imported before that.
await install('test');
const { makePictures } = await import('./pictures.ts');
await makePictures();
