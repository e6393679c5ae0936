import pytest, time
@pytest.mark.browser
def test_try(screen):
    t=time.time()
    ada = screen().open("Ada", "Bob"); print("open", time.time()-t); t=time.time()
    bob = screen().join(ada, 2); print("join", time.time()-t); t=time.time()
    print(ada.page.evaluate("() => [isSecureContext, location.href]"))
    ada.plus(1); bob.shows(1, 1); print("tap", time.time()-t); t=time.time()
    bob.plus(1, 10); print("10", time.time()-t); t=time.time()
    ada.shows(1, 11)
    print(ada.counted(), bob.waiting())
