// What an eye stumbles over: a short word in two, what lies over its neighbour or leaves its box, a sign like its ground.
(short) => {
    const wrong = new Set(), lines = [], range = document.createRange();
    const name = (each) => `${each.closest("[id]")?.id} ${each.getAttribute("class") ?? ""}`;
    const said = (kind, text, each) => wrong.add(`${kind}: “${text.trim().slice(0, 30)}” in ${name(each)}`);
    const shown = (each) => each.checkVisibility({visibilityProperty: true}) && !each.closest(".unseen, dialog, [popover]");
    // What is drawn of a letter is lower than its line; what scrolls or ends in … lies over nothing.
    const ink = ({left, top, right, bottom, height}) => [left + 2, top + height * 0.2, right - 2, bottom - height * 0.2];
    const meet = ([left, top, right, bottom], [x, y, end, foot]) => left < end && x < right && top < foot && y < bottom;
    const cut = (each, line) => {
        for (let box = each; box; box = box.parentElement) {
            if (getComputedStyle(box).overflowX === "visible") continue;
            const {left, right, bottom} = box.getBoundingClientRect();
            if (line.left < left - 1 || line.right > right + 1 || line.bottom > bottom + 3) return true;
        }
        return false;
    };
    const texts = document.createTreeWalker(document.querySelector("#page"), NodeFilter.SHOW_TEXT);
    for (let node; (node = texts.nextNode());) {
        const text = node.data, parent = node.parentElement;
        if (!text.trim() || !shown(parent) || parent.closest(".sheet")) continue;
        for (const {0: word, index} of text.matchAll(/[\p{L}\p{N}’\u00ad]+/gu)) {
            if (word.length > short || word.includes("\u00ad")) continue;
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            const tops = [...range.getClientRects()].filter(({width}) => width > 1).map(({top}) => Math.round(top));
            if (new Set(tops).size > 1) said("a short word in two", word, parent);
        }
        range.selectNodeContents(node);
        const box = parent.closest("button, .p-tap, p, h3, li")?.getBoundingClientRect();
        for (const line of range.getClientRects()) {
            if (line.width < 1 || cut(parent, line)) continue;
            lines.push([ink(line), parent, text]);
            if (box && (line.left < box.left - 1 || line.right > box.right + 1)) said("wider than its box", text, parent);
        }
    }
    const things = [...document.querySelectorAll("#page :is(button, .p-tap, .token, .mark, .p-badge, .tag, .tick-box)")]
        .filter((each) => shown(each) && !each.closest(".sheet")).map((each) => [ink(each.getBoundingClientRect()), each]);
    lines.forEach(([at, parent, text], n) => {
        for (const [there, other] of [...lines.slice(n + 1), ...things]) {
            if (!other.contains(parent) && !parent.contains(other) && meet(at, there)) said(`over ${name(other)}`, text, parent);
        }
    });
    const light = (css) => css.match(/[\d.]+/g).slice(0, 3).map((value) => (css.startsWith("color") ? +value : value / 255))
        .map((value) => (value <= 0.04 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const ground = (each) => {
        const {backgroundColor, backgroundImage} = getComputedStyle(each);
        if (/^rgb\(/.test(backgroundColor)) return backgroundColor;
        return backgroundImage.match(/rgb\([^)]+\)/)?.[0] ?? (each.parentElement ? ground(each.parentElement) : "rgb(255 255 255)");
    };
    for (const sign of document.querySelectorAll("#page svg:is(.icon, .mark)")) {
        if (!shown(sign)) continue;
        const [one, other] = [getComputedStyle(sign).fill, ground(sign.parentElement)].map(light);
        if ((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 2) said("invisible", "sign", sign.parentElement);
    }
    return [...wrong];
}
