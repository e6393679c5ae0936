// What test_displays.py asks of a page. Scripts of the app have nothing to do there, but for the clock's figures.

const put = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    document.body.className = page.body.className;
    document.body.replaceChildren(...page.body.childNodes);
    for (const each of document.querySelectorAll("#shown_ruling, #roll")) each.remove(); // those lie over the table for a while
    for (const clock of document.querySelectorAll(".timer-clock")) clock.textContent = "10:30";
    document.querySelector("#pill").textContent = "live, screen may dim";
};

/** Every line of text: where it is, what cuts it off, what lies over it. And how much is empty. */
const look = () => {
    const [wide, high] = [innerWidth, innerHeight], wrong = new Set(), inks = [];
    const named = (each) => (each.closest("[id]")?.id ?? "") + " " + each.className;
    const said = (kind, node, more = "") => wrong.add(
        `${kind}: “${node.textContent.trim().slice(0, 40)}” ${named(node.parentElement)} ${more}`);
    const clips = (each) => {
        const found = [];
        for (let box = each; box && box !== document.body; box = box.parentElement) {
            const style = getComputedStyle(box);
            const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
            if (clips && style.display !== "contents") found.push([box, style]);
            if (style.position === "fixed") break;
        }
        return found;
    };
    const unseen = (each) => each && (getComputedStyle(each).clipPath.startsWith("inset(50%") || unseen(each.parentElement));
    const paints = (each, x, y) => {
        const {backgroundColor, backgroundImage} = getComputedStyle(each);
        return each.closest("svg") || backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(backgroundColor) && backgroundColor !== "transparent"
            || [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() && within(node, x, y));
    };
    const within = (node, x, y) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return [...range.getClientRects()].some(({left, right, top, height}) =>
            x > left && x < right && y > top + height * 0.2 && y < top + height * 0.8);
    };
    const covers = (parent, x, y) => {
        const first = document.elementFromPoint(x, y); // mostly itself; to ask for all that lie there takes long
        if (first && (first.contains(parent) || parent.contains(first))) return null;
        for (const each of document.elementsFromPoint(x, y)) {
            if (each.contains(parent) || parent.contains(each)) return null;
            if (paints(each, x, y)) return each;
        }
        return null;
    };
    let least = [1e9, ""], most = 0;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = texts.nextNode());) {
        const parent = node.parentElement;
        if (!node.textContent.trim() || !parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        if (parent.closest(".unseen, dialog:not([open]), [popover]") || unseen(parent)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const size = parseFloat(getComputedStyle(parent).fontSize) * (parent.currentCSSZoom ?? 1);
        if (!size) continue;
        const around = clips(parent), quiet = parent.closest("#log, .top, .corner");
        let seen = false;
        for (const line of range.getClientRects()) {
            if (line.width < 1 || line.height < 1) continue;
            // What is drawn of a letter is lower than its line.
            const [top, bottom] = [line.top + line.height * 0.2, line.bottom - line.height * 0.2];
            const [left, right] = [line.left + 1, line.right - 1];
            const off = (box) => bottom <= box.top || top >= box.bottom || right <= box.left || left >= box.right;
            if (quiet?.id === "log" && around.some(([box]) => off(box.getBoundingClientRect()))) continue;
            seen = true;
            if (top < 0 || left < -1 || bottom > high || right > wide + 1) said("outside the screen", node);
            const cut = around.find(([box, {overflowX, overflowY}]) => {
                const {top: y, bottom: to, left: x, right: end} = box.getBoundingClientRect();
                return overflowY !== "visible" && (top < y - 1 || bottom > to + 1)
                    || overflowX !== "visible" && (left < x - 2 || right > end + 2);
            });
            if (cut) said("cut off", node, "by " + named(cut[0]));
            for (const x of [left + 2, right - 2]) {
                const hit = covers(parent, x, (top + bottom) / 2);
                if (hit) said("covered", node, "by " + named(hit));
            }
            inks.push([line.left, top, line.right, bottom]);
        }
        if (!seen) continue;
        if (size < least[0]) least = [size, `“${node.textContent.trim().slice(0, 40)}” ${named(parent)}`];
        if (!quiet) most = Math.max(most, size);
    }
    for (const sign of document.querySelectorAll("#page svg, #page .token, #page .p-cells i, #page img")) {
        if (!sign.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        const {left, top, right, bottom} = sign.getBoundingClientRect();
        if (right - left > 2 && bottom - top > 2) inks.push([left, top, right, bottom]);
    }
    // The largest rectangle of squares, a thirtieth of the height each, in which there is nothing.
    const side = high / 30, across = Math.ceil(wide / side);
    const full = Array.from({length: 30}, () => new Array(across).fill(false));
    for (const [left, top, right, bottom] of inks) {
        for (let y = Math.max(0, Math.floor(top / side)); y < 30 && y * side < bottom; y += 1) {
            for (let x = Math.max(0, Math.floor(left / side)); x < across && x * side < right; x += 1) full[y][x] = true;
        }
    }
    let empty = [0];
    const heights = new Array(across).fill(0);
    full.forEach((row, y) => {
        row.forEach((taken, x) => { heights[x] = taken ? 0 : heights[x] + 1; });
        for (let from = 0; from < across; from += 1) {
            let low = 99;
            for (let to = from; to < across && (low = Math.min(low, heights[to])); to += 1) {
                const area = low * (to - from + 1) / (30 * across);
                if (area > empty[0]) empty = [area, from * side, (y - low + 1) * side, (to - from + 1) * side, low * side].map(
                    (n, i) => i ? Math.round(n) : n);
            }
        }
    });
    return {wrong: [...wrong], least, most, empty, high};
};
