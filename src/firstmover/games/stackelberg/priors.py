"""Kernels that suit the followers of Stackelberg games; apart from them, since scikit-learn is slow to import."""

from sklearn.gaussian_process.kernels import RBF, Matern

from firstmover.kernels import on_action, on_type

HARBOUR_KERNEL = RBF(1.0)
TABLE_KERNEL = on_action(Matern(0.3, nu=1.5)) * on_type(RBF(0.5))
