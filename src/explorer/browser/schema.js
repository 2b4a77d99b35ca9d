// The picture scrolls within its frame. Here a mouse drags it, the wheel zooms it, and names are found in it.
const [frame, sought, found, whole] = ['picture', 'sought', 'found', 'whole'].map((id) => document.getElementById(id));
const svg = frame.querySelector('svg');
const { width, height } = svg.viewBox.baseVal;
/** Pixels around the picture, so that each of its corners can stand in the middle. */
const room = 2_000;
svg.style.padding = `${room}px`;
let scale = 1;

/** Zooms around a point of the frame, in pixels. */
function zoom(factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
  const next = Math.min(5, Math.max(0.1, scale * factor));
  const moved = (scroll, point) => ((scroll + point - room) * next) / scale + room - point;
  const place = [moved(frame.scrollLeft, x), moved(frame.scrollTop, y)];
  svg.style.width = `${width * next}px`;
  svg.style.height = `${height * next}px`;
  scale = next;
  frame.scrollTo(...place);
}

function showWhole() {
  zoom(Math.min(frame.clientWidth / width, frame.clientHeight / height) / scale);
  frame.scrollTo(room - (frame.clientWidth - width * scale) / 2, room);
}

/** Moves the picture until an element stands in the middle, or begins at the edge if it is larger than the frame. */
function show(element) {
  const [outer, inner] = [frame, element].map((each) => each.getBoundingClientRect());
  const gap = (space, size) => Math.max(20, (space - size) / 2);
  frame.scrollBy(
    inner.left - outer.left - gap(outer.width, inner.width),
    inner.top - outer.top - gap(outer.height, inner.height),
  );
}

frame.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    const { left, top } = frame.getBoundingClientRect();
    zoom(2 ** (event.deltaY / -300), event.clientX - left, event.clientY - top);
  },
  { passive: false },
);
let held = null;
frame.addEventListener('pointerdown', ({ clientX, clientY, pointerType }) => {
  // A finger scrolls by itself.
  if (pointerType !== 'touch') held = { x: clientX + frame.scrollLeft, y: clientY + frame.scrollTop };
});
frame.addEventListener('pointermove', ({ clientX, clientY, pointerId }) => {
  if (held === null) return;
  const [x, y] = [held.x - clientX, held.y - clientY];
  if (!frame.hasPointerCapture(pointerId) && Math.hypot(x - frame.scrollLeft, y - frame.scrollTop) < 4) return;
  // What is dragged from a name is no click on it.
  frame.setPointerCapture(pointerId);
  frame.scrollTo(x, y);
});
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (held = null));
frame.addEventListener('dragstart', (event) => event.preventDefault());
frame.addEventListener('keydown', ({ key }) => {
  if (key === '+' || key === '-') zoom(key === '+' ? 1.25 : 0.8);
});
for (const button of document.querySelectorAll('[data-zoom]'))
  button.addEventListener('click', () => zoom(Number(button.dataset.zoom)));
whole.addEventListener('click', showWhole);

const names = [...svg.querySelectorAll('.name')];
let matches = [];
sought.addEventListener('input', () => {
  const text = sought.value.trim().toLowerCase();
  const isMatch = (name) => text !== '' && name.textContent.toLowerCase().includes(text);
  matches = names.filter(isMatch);
  for (const name of names) name.classList.toggle('is-found', isMatch(name));
  found.textContent = text === '' ? '' : `${matches.length} found. Enter shows the next.`;
});
sought.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || matches.length === 0) return;
  const [next] = matches;
  matches = [...matches.slice(1), next];
  for (const name of names) name.classList.toggle('is-current', name === next);
  show(next);
});

const showTarget = () => show(svg.querySelector(':target') ?? svg.querySelector('#picture-Query'));
addEventListener('hashchange', showTarget);
showTarget();
